import { NavLink, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { type Place, usePlaces } from "./places";

export function Navigation({ onGo }: { onGo: () => void }) {
  const places = usePlaces();
  const own = places.filter((place) => place.for !== "administrators");
  const others = places.filter((place) => place.for === "administrators");
  return (
    <>
      {own.map((place) => (
        <PlaceLink key={place.to} place={place} onGo={onGo} />
      ))}
      {others.length > 0 && (
        <Text size="xs" c="dimmed" fw={600} px="sm" pt="md" pb={4}>
          Administration
        </Text>
      )}
      {others.map((place) => (
        <PlaceLink key={place.to} place={place} onGo={onGo} />
      ))}
    </>
  );
}

function PlaceLink({ place, onGo }: { place: Place; onGo: () => void }) {
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
