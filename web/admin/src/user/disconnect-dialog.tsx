import type { TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** The schema's bound, in bytes. */
const mostBytes = 256;

interface DisconnectDialogProps {
  name: string;
  disconnect(reason: string): Promise<void>;
  onClose(): void;
}

/** Asks before a user's session is ended, and for the reason, which the server logs. */
export function DisconnectDialog({ name, disconnect, onClose }: DisconnectDialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  useEffect(() => ref.current?.showModal(), []);

  const long = new TextEncoder().encode(reason).length > mostBytes;
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setFailure("");
    try {
      await disconnect(reason.trim());
      ref.current?.close();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  return (
    <dialog class="dialog" ref={ref} aria-labelledby="disconnect-title" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <h2 id="disconnect-title">Disconnect {name}?</h2>
        <p class="quiet">
          The session ends at once, on whichever device it is. Nothing keeps them from signing in again.
        </p>
        <label class="labelled">
          <span>
            Reason <span class="quiet">(written to the server's log)</span>
          </span>
          <input
            class="field"
            value={reason}
            autocomplete="off"
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        {long && (
          <p class="failure" role="alert">
            At most {mostBytes} bytes.
          </p>
        )}
        {failure && (
          <p class="failure" role="alert">
            {failure}
          </p>
        )}
        <div class="buttons">
          <button type="button" class="button" onClick={() => ref.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="button danger filled" disabled={busy || long}>
            {busy ? "Disconnecting…" : "Disconnect"}
          </button>
        </div>
      </form>
    </dialog>
  );
}
