import { NavLink, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { type NavPage, useNavPages } from "./navPages";

export function Navigation({ onGo }: { onGo: () => void }) {
  const pages = useNavPages();
  const own = pages.filter((page) => page.for !== "administrators");
  const administration = pages.filter((page) => page.for === "administrators");
  return (
    <>
      {own.map((page) => (
        <PageLink key={page.to} place={page} onGo={onGo} />
      ))}
      {administration.length > 0 && (
        <Text size="xs" c="dimmed" fw={600} px="sm" pt="md" pb={4}>
          Administration
        </Text>
      )}
      {administration.map((page) => (
        <PageLink key={page.to} place={page} onGo={onGo} />
      ))}
    </>
  );
}

function PageLink({ place, onGo }: { place: NavPage; onGo: () => void }) {
  const here = useLocation().pathname;
  const { to, label, icon: Icon } = place;
  const active = to === "/" ? here === "/" : here.startsWith(to);
  return (
    <NavLink
      renderRoot={(props) => <Link to={to} {...props} />}
      label={label}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      active={active}
      aria-current={active ? "page" : undefined}
      onClick={onGo}
      style={{ borderRadius: 6 }}
    />
  );
}
