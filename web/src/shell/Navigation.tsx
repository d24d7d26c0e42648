import { NavLink, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import classes from "./Navigation.module.css";
import { GROUPS, type NavPage, useNavPages } from "./navPages";

export function Navigation({ onGo }: { onGo: () => void }) {
  const pages = useNavPages();
  return Object.entries(GROUPS).map(([group, title]) => (
    <PageGroup
      key={group}
      title={title}
      pages={pages.filter((page) => page.group === group)}
      onGo={onGo}
    />
  ));
}

type GroupProps = { title: string; pages: NavPage[]; onGo: () => void };

function PageGroup({ title, pages, onGo }: GroupProps) {
  if (pages.length === 0) return null;
  return (
    <section aria-label={title} className={classes.group}>
      <Text size="xs" c="dimmed" fw={600} px="sm" pb={2} aria-hidden>
        {title}
      </Text>
      {pages.map((page) => (
        <PageLink key={page.to} place={page} onGo={onGo} />
      ))}
    </section>
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
      className={classes.link}
    />
  );
}
