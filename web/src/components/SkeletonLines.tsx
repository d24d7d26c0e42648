import { Skeleton, Stack } from "@mantine/core";

/** Grey lines in place of content that is still loading. */
export function SkeletonLines({ count = 5, height = 28 }: { count?: number; height?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <Skeleton key={n} height={height} radius="sm" />
      ))}
    </Stack>
  );
}
