import type { Query, QueryClient } from "@tanstack/react-query";

/**
 * Refetch what is shown now, and the rest once it is shown again.
 *
 * Pending requests are not aborted, or a slow response would never arrive while much happens: it is
 * shown, and fetched once more since it may be outdated.
 */
export function refetch(queries: QueryClient, queryKey: readonly unknown[]): void {
  refetchAfterPending(queries, queryKey);
  void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Where new data was set directly, only an older pending response could overwrite it. */
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
