import type { Environment } from "monaco-editor";
import EditorWorker from "monaco-editor/esm/vs/editor/editor.worker.js?worker";
import JsonWorker from "monaco-editor/esm/vs/language/json/json.worker.js?worker";
import GraphQLWorker from "monaco-graphql/esm/graphql.worker.js?worker";

/**
 * Gives Monaco its workers from this bundle; by default it would fetch them by a path of its own.
 * GraphiQL's ready-made set-up does the same, but logs a line for each worker.
 */
export function setUpWorkers(): void {
  const environment: Environment = {
    getWorker(_id, label) {
      switch (label) {
        case "json":
          return new JsonWorker();
        case "graphql":
          return new GraphQLWorker();
        default:
          return new EditorWorker();
      }
    },
  };
  window.MonacoEnvironment = environment;
}
