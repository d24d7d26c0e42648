import { ActionIcon, Tooltip, useComputedColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";
import { useAppearance, useKeptAppearance } from "./appearance";

export function SchemeToggle() {
  useKeptAppearance();
  const { setAppearance } = useAppearance();
  const now = useComputedColorScheme("light");
  const other = now === "dark" ? "light" : "dark";
  const Icon = now === "dark" ? IconSun : IconMoon;
  return (
    <Tooltip label={`Use the ${other} look`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={() => setAppearance(other)}
        aria-label={`Use the ${other} look`}
      >
        <Icon size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
