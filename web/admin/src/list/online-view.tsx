import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Desk } from "../desk/desk";
import { count } from "../format";
import { Heading } from "../ui/heading";
import { VirtualList } from "../ui/virtual-list";
import { LiveList } from "./live-list";
import { isOpen, type Filter, type Order } from "./order";
import { NewsBar } from "./news-bar";
import { SearchResults } from "./search-results";
import { Toolbar } from "./toolbar";
import { useReading } from "./use-reading";
import { UserRow } from "./user-row";

/** A row's height in CSS pixels; list.css has it too. */
const rowHeight = 56;
const headHeight = 38;
/** How many rows before the end the next page is asked for. */
const ahead = 150;

/** Who is online, live. */
export function OnlineView({ desk }: { desk: Desk }) {
  const list = useMemo(() => new LiveList(desk), [desk]);
  useEffect(() => () => list.close(), [list]);
  const [search, setSearch] = useState("");
  const { order, filter } = list.chosen.value;
  const choose = (order: Order, filter: Filter) => list.choose(order, filter);

  return (
    <div class="page filled">
      <header>
        <Heading>Online</Heading>
        <Total list={list} />
        <Toolbar order={order} filter={filter} search={search} onChoose={choose} onSearch={setSearch} />
      </header>
      {search.trim() === "" ? (
        // Another list begins at its top.
        <List key={`${order} ${JSON.stringify(filter)}`} desk={desk} list={list} />
      ) : (
        <SearchResults desk={desk} list={list} text={search.trim()} />
      )}
    </div>
  );
}

function Total({ list }: { list: LiveList }) {
  list.version.value; // drawn anew when the list has changed
  const { filter, total } = list.rows;
  return (
    <span class="quiet" data-testid="total">
      {(list.state.value === "ready" || total > 0) && `${count(total)} ${isOpen(filter) ? (total === 1 ? "user" : "users") : "match"}`}
    </span>
  );
}

function List({ desk, list }: { desk: Desk; list: LiveList }) {
  const box = useRef<HTMLDivElement>(null);
  const reading = useReading(box, (now) => list.setReading(now));
  /** The row that Tab leads to. Signals, since keys may come faster than rows are drawn. */
  const active = useSignal(0);
  const target = useSignal<{ place: number } | undefined>(undefined);
  list.version.value;
  const { rows } = list;

  useLayoutEffect(() => {
    const place = target.value?.place;
    if (place !== undefined)
      box.current?.querySelector<HTMLElement>(`[data-place="${place}"]`)?.focus({ preventScroll: true });
  }, [target.value]);

  const move = (event: KeyboardEvent) => {
    const place = placeAfter(event.key, active.value, rows.length);
    if (place === undefined || !(event.target instanceof HTMLElement) || event.target.dataset["place"] === undefined)
      return;
    event.preventDefault();
    active.value = place;
    target.value = { place };
  };
  const focused = (event: FocusEvent) => {
    if (event.target instanceof HTMLElement && event.target.dataset["place"] !== undefined)
      active.value = Number(event.target.dataset["place"]);
  };
  const showNews = async () => {
    await list.reread();
    box.current?.querySelector(".scroller")?.scrollTo({ top: 0 });
    active.value = 0;
    target.value = { place: 0 };
  };

  return (
    <div class="card list" ref={box} onKeyDown={move} onFocusIn={focused}>
      <NewsBar news={rows.news} missed={rows.missed} onShow={() => void showNews()} />
      <div
        class="table"
        role="table"
        aria-label="Users online"
        aria-rowcount={rows.complete ? rows.length + 1 : -1}
        aria-busy={list.state.value === "loading"}
      >
        <VirtualList
          head={<Head />}
          headHeight={headHeight}
          count={rows.length}
          rowHeight={rowHeight}
          pinned={active.value}
          target={target.value}
          onScroll={(top) => reading.scrolled(top > 0)}
          onWindow={({ from, to }) => {
            list.setVisible(from, to);
            if (to > rows.length - ahead) void list.more();
          }}
          row={(place, top) => {
            const row = rows.at(place);
            return (
              row && (
                <UserRow
                  key={row.user.id}
                  row={row}
                  place={place}
                  top={top}
                  now={desk.now}
                  tabbable={place === Math.min(active.value, rows.length - 1)}
                />
              )
            );
          }}
        />
      </div>
      <Footer list={list} />
    </div>
  );
}

function Head() {
  return (
    <div class="heads" role="rowgroup">
      <div class="row head" role="row" aria-rowindex={1}>
        <span role="columnheader">User</span>
        <span role="columnheader" class="level">
          Level
        </span>
        <span role="columnheader" class="status">
          Status
        </span>
        <span role="columnheader" class="active">
          Last activity
        </span>
        <span role="columnheader" class="since">
          Online since
        </span>
      </div>
    </div>
  );
}

/** What is below the rows: that more are coming, that there are none, or that some have moved meanwhile. */
function Footer({ list }: { list: LiveList }) {
  list.version.value;
  const { rows } = list;
  if (list.state.value === "loading") return rows.length === 0 ? <div class="nothing">Reading the list…</div> : null;
  if (list.state.value === "failed") {
    return (
      <div class="nothing">
        <strong>The list can't be read at the moment</strong>
        <p>It is tried again every few seconds.</p>
      </div>
    );
  }
  if (rows.length === 0) {
    const all = isOpen(rows.filter);
    return (
      <div class="nothing" data-testid="empty">
        <strong>{all ? "Nobody is online" : "Nobody who is online matches"}</strong>
        <p>{all ? "Whoever comes online appears here at once." : "Another status or level may have some."}</p>
      </div>
    );
  }
  if (rows.complete && rows.total > rows.length) {
    return (
      <p class="foot quiet">
        {count(rows.total - rows.length)} more were active while you scrolled, and are further up by now.
      </p>
    );
  }
  return null;
}

/** Where a key leads from a row; undefined if it is not for the list. */
export function placeAfter(key: string, place: number, length: number): number | undefined {
  const last = length - 1;
  const steps: Record<string, number> = {
    ArrowDown: place + 1,
    ArrowUp: place - 1,
    PageDown: place + 10,
    PageUp: place - 10,
    Home: 0,
    End: last,
  };
  const next = steps[key];
  return next === undefined || last < 0 ? undefined : Math.min(Math.max(0, next), last);
}
