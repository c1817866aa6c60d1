import { count } from "../format";
import { ReloadIcon, UpIcon } from "../ui/icons";

/** Says what has happened above what is being read, and brings it on demand. */
export function NewsBar({ news, missed, onShow }: { news: number; missed: boolean; onShow(): void }) {
  const text = missed ? "Changes may have been missed" : `${count(news)} new`;
  const there = missed || news > 0;
  return (
    <div class="news" role="status">
      {there && (
        <button type="button" class="button primary appear" data-testid="news" onClick={onShow}>
          {missed ? <ReloadIcon /> : <UpIcon />}
          {text}
          {missed && <span class="unseen">, read the list again</span>}
        </button>
      )}
    </div>
  );
}
