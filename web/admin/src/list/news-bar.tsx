import { count } from "../format";
import { ReloadIcon, UpIcon } from "../ui/icons";

/** Says what has happened above what is being read, and brings it on demand. That there is something is read out once, not each number. */
export function NewsBar({ news, missed, onShow }: { news: number; missed: boolean; onShow(): void }) {
  const there = missed || news > 0;
  return (
    <div class="news">
      <span class="unseen" role="status">
        {there && (missed ? "The list may have missed changes" : "Others have come online")}
      </span>
      {there && (
        <button type="button" class="button primary appear" data-testid="news" onClick={onShow}>
          {missed ? <ReloadIcon /> : <UpIcon />}
          {missed ? "Changes may have been missed" : `${count(news)} new`}
          <span class="unseen">, {missed ? "read the list again" : "show them"}</span>
        </button>
      )}
    </div>
  );
}
