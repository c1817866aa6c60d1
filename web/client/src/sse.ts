import { after } from "./clock.js";
import { isolated } from "./emitter.js";
import { asError, networkError } from "./error.js";
import { resultOf, type Http } from "./http.js";
import type { Link, LinkSink, Lost, Payload } from "./link.js";

/** The server sends a comment every ten seconds; a stream that was silent for so long is dead. In milliseconds. */
const quietFor = 30_000;

/**
 * Opens the way without WebSockets: each subscription is a stream of server-sent events of its own. Nothing of it
 * stays open by itself, so a small query shows that the server answers.
 */
export async function openSse(http: Http, onLost: Lost): Promise<Link> {
  await http.query("{__typename}");
  const streams = new Set<AbortController>();
  let dead = false;

  function close() {
    dead = true;
    streams.forEach((stream) => stream.abort());
    streams.clear();
  }
  function lose(thrown: unknown) {
    if (dead) return;
    close();
    onLost(asError(thrown));
  }

  /** Loses the link unless what is returned is called in time. */
  const silence = () => after(quietFor, () => lose(networkError("the stream is silent")));

  async function run(payload: Payload, sink: LinkSink, { signal }: AbortController) {
    const cancel = silence();
    const response = await http.stream(payload, signal).finally(cancel);
    if (!response.body || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      const { errors } = await resultOf(response);
      return isolated(() => sink.error(errors ?? []));
    }
    for await (const { event, data } of events(response.body, signal, silence)) {
      if (signal.aborted) return;
      if (event === "complete") return isolated(() => sink.complete());
      if (event === "next") isolated(() => sink.next(JSON.parse(data)));
    }
    if (!signal.aborted) throw networkError("the stream was cut");
  }

  return {
    kind: "sse",
    subscribe(payload, sink) {
      const stream = new AbortController();
      streams.add(stream);
      const end = () => {
        stream.abort();
        streams.delete(stream);
      };
      run(payload, sink, stream).then(end, (thrown) => signalled(stream) || lose(thrown));
      return end;
    },
    check: () => void http.query("{__typename}").catch(lose),
    close,
  };
}

const signalled = (stream: AbortController) => stream.signal.aborted;

/** The events of a stream. Each wait for more begins a `silence`. */
async function* events(body: ReadableStream<Uint8Array>, signal: AbortSignal, silence: () => () => void) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().finally(silence());
      if (done || signal.aborted) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? "";
        yield { event: field("event"), data: field("data") };
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
