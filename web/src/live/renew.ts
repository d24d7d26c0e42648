import type { Query, QueryClient } from "@tanstack/react-query";

/**
 * Ask for it again where it is shown, and elsewhere once it is shown again.
 *
 * What is under way is not broken off, or a slow answer would never come while much happens: it is
 * shown, and asked for once more, since it may be older than what was heard.
 */
export function renew(queries: QueryClient, queryKey: readonly unknown[]): void {
  renewAnswersUnderWay(queries, queryKey);
  void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Where the news themselves are put in place, only an older answer could push them out again. */
export function renewAnswersUnderWay(queries: QueryClient, queryKey: readonly unknown[]): void {
  for (const query of queries.getQueryCache().findAll({ queryKey, predicate: isUnderWay })) {
    askAgainOnceAnswered(queries, query);
  }
}

const awaited = new WeakSet<Promise<unknown>>();

function askAgainOnceAnswered(queries: QueryClient, query: Query): void {
  const answer = query.promise;
  if (!answer || awaited.has(answer)) return;
  awaited.add(answer);
  const again = () => queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  answer.then(again, () => undefined);
}

export const isUnderWay = (query: Query) => query.state.fetchStatus === "fetching";
