import type { Query, QueryClient } from "@tanstack/react-query";

/**
 * Ask for it again where it is shown, and elsewhere once it is shown again.
 *
 * What is under way is not broken off, or a slow answer would never come while much happens: it is
 * shown, and asked for once more, since it may be older than what was heard.
 */
export function refetch(queries: QueryClient, queryKey: readonly unknown[]): void {
  refetchAfterPending(queries, queryKey);
  void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Where the news themselves are put in place, only an older answer could push them out again. */
export function refetchAfterPending(queries: QueryClient, queryKey: readonly unknown[]): void {
  for (const query of queries.getQueryCache().findAll({ queryKey, predicate: isFetching })) {
    refetchOnceSettled(queries, query);
  }
}

const pending = new WeakSet<Promise<unknown>>();

function refetchOnceSettled(queries: QueryClient, query: Query): void {
  const promise = query.promise;
  if (!promise || pending.has(promise)) return;
  pending.add(promise);
  const refetchIt = () => queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  promise.then(refetchIt, () => undefined);
}

export const isFetching = (query: Query) => query.state.fetchStatus === "fetching";
