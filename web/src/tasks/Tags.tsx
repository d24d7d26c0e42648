import { Badge, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";

/** Each leads to all tasks with the same tag. */
export function Tags({ tags }: { tags: string[] }) {
  if (!tags.length) return null;
  return (
    <Group gap={4} component="span" display="inline-flex">
      {tags.map((tag) => (
        <Badge
          key={tag}
          variant="light"
          color="gray"
          size="sm"
          tt="none"
          renderRoot={(props) => (
            <Link
              to="/tasks"
              search={{ tag }}
              aria-label={`Tasks with the tag ${tag}`}
              {...props}
            />
          )}
        >
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
