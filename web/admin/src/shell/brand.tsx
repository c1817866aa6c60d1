/** The mark and the name. */
export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <circle class="ring" cx="16" cy="16" r="14" />
        <circle class="core" cx="16" cy="16" r="7" />
      </svg>
      Rollcall
    </span>
  );
}
