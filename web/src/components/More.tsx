import { Button, Group } from "@mantine/core";

type MoreProps = {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  children?: React.ReactNode;
};

/** The next page of a list, as long as there is one. */
export function More({ query, children = "Show more" }: MoreProps) {
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
