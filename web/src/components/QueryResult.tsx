import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert } from "./ErrorAlert";
import { SkeletonLines } from "./SkeletonLines";

type QueryResultProps<T> = {
  query: Pick<UseQueryResult<T>, "data" | "error" | "refetch" | "isPending">;
  loading?: ReactNode;
  children: (data: T) => ReactNode;
};

/** Shows the data of a query, or its loading or error state. */
export function QueryResult<T>({
  query,
  loading = <SkeletonLines />,
  children,
}: QueryResultProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  return <div aria-busy="true">{loading}</div>;
}
