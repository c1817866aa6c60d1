import { useState } from "preact/hooks";
import { Choice } from "../ui/choice";
import { DownIcon, FilterIcon, SearchIcon, UpIcon } from "../ui/icons";
import { isOpen, type Filter, type Order } from "./order";

interface ToolbarProps {
  order: Order;
  filter: Filter;
  search: string;
  onChoose(order: Order, filter: Filter): void;
  onSearch(text: string): void;
}

type By = "LAST_ACTIVE" | "LEVEL";
type Status = "ALL" | "ONLINE" | "AWAY";

/** How the list is sorted and narrowed. */
export function Toolbar({ order, filter, search, onChoose, onSearch }: ToolbarProps) {
  const by: By = order.startsWith("LEVEL") ? "LEVEL" : "LAST_ACTIVE";
  const descending = order.endsWith("DESC");
  const sort = (by: By, descending: boolean) => onChoose(`${by}_${descending ? "DESC" : "ASC"}`, filter);
  const status = (chosen: Status) => onChoose(order, { ...filter, status: chosen === "ALL" ? null : chosen });
  const [open, setOpen] = useState(false);
  const direction =
    by === "LEVEL"
      ? descending
        ? "Highest first"
        : "Lowest first"
      : descending
        ? "Latest first"
        : "Longest idle first";

  return (
    <div class="toolbar" role="group" aria-label="Sort and filter">
      <label class="search">
        <span class="unseen">Search by id</span>
        <SearchIcon />
        <input
          class="field"
          type="search"
          placeholder="Search by id"
          value={search}
          maxLength={128}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onSearch(event.currentTarget.value)}
        />
      </label>
      <button
        type="button"
        class={isOpen(filter) ? "button square more" : "button square more narrowed"}
        aria-label="Sort and filter"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <FilterIcon />
      </button>
      <div class={open ? "options open" : "options"}>
        <Choice
          label="Status"
          value={filter.status ?? "ALL"}
          options={[
            ["ALL", "All"],
            ["ONLINE", "Online"],
            ["AWAY", "Away"],
          ]}
          onChoose={status}
        />
        <span class="range" role="group" aria-label="Level">
          <span class="quiet" aria-hidden="true">
            Level
          </span>
          <LevelField
            label="Lowest level"
            hint="min"
            value={filter.minLevel}
            onChange={(minLevel) => onChoose(order, { ...filter, minLevel })}
          />
          <span class="quiet" aria-hidden="true">
            –
          </span>
          <LevelField
            label="Highest level"
            hint="max"
            value={filter.maxLevel}
            onChange={(maxLevel) => onChoose(order, { ...filter, maxLevel })}
          />
        </span>
        <span class="sort">
          <Choice
            label="Sort by"
            value={by}
            options={[
              ["LAST_ACTIVE", "Activity"],
              ["LEVEL", "Level"],
            ]}
            onChoose={(chosen) => sort(chosen, true)}
          />
          <button
            type="button"
            class="button square"
            aria-label={`Direction: ${direction}`}
            title={direction}
            onClick={() => sort(by, !descending)}
          >
            {descending ? <DownIcon /> : <UpIcon />}
          </button>
        </span>
      </div>
    </div>
  );
}

function LevelField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  value: number | null;
  onChange(level: number | null): void;
}) {
  return (
    <input
      class="field level-field"
      inputMode="numeric"
      aria-label={label}
      placeholder={hint}
      maxLength={9}
      value={value ?? ""}
      onChange={(event) => {
        const level = readLevel(event.currentTarget.value);
        event.currentTarget.value = level === null ? "" : String(level);
        onChange(level);
      }}
    />
  );
}

/** A level as it was typed; null for what is none. */
export function readLevel(text: string): number | null {
  return /^-?\d{1,9}$/.test(text.trim()) ? Number(text) : null;
}
