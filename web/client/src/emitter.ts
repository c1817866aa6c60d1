/** Listeners by event. */
export interface Emitter<Events> {
  /** Calls `listener` at each event until the function that is returned is called. */
  on<K extends keyof Events>(event: K, listener: (detail: Events[K]) => void): () => void;
  emit<K extends keyof Events>(event: K, detail: Events[K]): void;
}

export function createEmitter<Events>(): Emitter<Events> {
  const listeners: { [K in keyof Events]?: Set<(detail: Events[K]) => void> } = {};
  return {
    on(event, listener) {
      const own = (detail: Parameters<typeof listener>[0]) => listener(detail); // so that one may be added twice
      const set = (listeners[event] ??= new Set());
      set.add(own);
      return () => void set.delete(own);
    },
    emit: (event, detail) => [...(listeners[event] ?? [])].forEach((listener) => isolated(() => listener(detail))),
  };
}

/** What a listener throws is its own: it is reported as if it had been thrown by itself, and all else goes on. */
export function isolated(call: () => void) {
  try {
    call();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
