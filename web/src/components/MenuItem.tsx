import { Menu } from "@mantine/core";
import type { TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";

type MenuItemProps = {
  icon: TablerIcon;
  /** It takes something away. */
  danger?: boolean;
  onClick: () => void;
  children: ReactNode;
};

/** One line of a menu that says what it does with a sign before it. */
export function MenuItem({ icon: Icon, danger, onClick, children }: MenuItemProps) {
  return (
    <Menu.Item
      leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
      c={danger ? "var(--mantine-color-error)" : undefined}
      onClick={onClick}
    >
      {children}
    </Menu.Item>
  );
}
