import { Avatar } from "@mantine/core";

/** A person's initials; what stands in brackets only tells two of one name apart. */
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
