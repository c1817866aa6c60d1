/**
 * Web storage under a prefix of our own. Many development servers have a GraphiQL on the same
 * host and port; without the prefix their saved tabs would stand in place of Rollcall's examples.
 */
export function prefixedStorage(store: Storage, prefix: string) {
  const keys = () => Object.keys(store).filter((key) => key.startsWith(prefix));
  return {
    get length() {
      return keys().length;
    },
    getItem: (key: string) => store.getItem(prefix + key),
    setItem: (key: string, value: string) => store.setItem(prefix + key, value),
    removeItem: (key: string) => store.removeItem(prefix + key),
    clear: () => keys().forEach((key) => store.removeItem(key)),
  };
}
