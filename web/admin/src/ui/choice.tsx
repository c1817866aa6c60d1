import { useId } from "preact/hooks";

interface ChoiceProps<T extends string> {
  /** What is chosen, for who can't see it. */
  label: string;
  options: readonly (readonly [value: T, text: string])[];
  value: T;
  onChoose(value: T): void;
}

/** One of a few, all of them in sight. */
export function Choice<T extends string>({ label, options, value, onChoose }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map(([option, text]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChoose(option)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
