import { Button, Group } from "@mantine/core";

type LoadMoreProps = {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  children?: React.ReactNode;
};

/** Loads the next page of a list, if there is one. */
export function LoadMore({ query, children = "Show more" }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Group justify="center" my="md">
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {children}
      </Button>
    </Group>
  );
}
