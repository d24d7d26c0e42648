import { Avatar } from "@mantine/core";

/** A person's initials, without what is in brackets. */
export function PersonAvatar({ name, size = 30 }: { name: string; size?: number }) {
  return (
    <Avatar
      name={name.replace(/\(.*\)/, "").trim()}
      color="diamond"
      size={size}
      radius="xl"
      alt=""
      aria-hidden
    />
  );
}
