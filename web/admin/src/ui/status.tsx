import type { OfflineReason, Status } from "../presence";

const words = { ONLINE: "Online", AWAY: "Away", OFFLINE: "Offline" } as const;
const looks = { ONLINE: "online", AWAY: "away", OFFLINE: "offline" } as const;
const reasons = { SIGNED_OUT: "Signed out", EXPIRED: "Expired", DISCONNECTED: "Disconnected" } as const;

/** A presence status, by shape, colour and word. */
export function StatusBadge({ status, reason = null }: { status: Status; reason?: OfflineReason | null }) {
  return <span class={`badge ${looks[status]}`}>{reason === null ? words[status] : reasons[reason]}</span>;
}
