import { Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconDevices, IconLogout, IconSettings } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, dataOf, type Schemas } from "~/api/client";
import { showError } from "~/components/toasts";
import { PersonAvatar } from "~/people/PersonAvatar";
import classes from "./Shell.module.css";

/** The signed-in person, settings and sign-out. */
export default function AccountMenu({ me }: { me: Schemas["Me"] }) {
  const signOut = useMutation({
    mutationFn: () => dataOf(api.POST("/api/v1/sign-out")),
    // Also ends the session at the provider, which leads back here.
    onSuccess: ({ url }) => location.assign(url || "/"),
    onError: showError,
  });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.account}>
          <VisuallyHidden>Account: {me.name}</VisuallyHidden>
          <PersonAvatar name={me.name} size={34} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {me.name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {me.is_admin ? `${me.email} · administrator` : me.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconSettings size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/settings" {...props} />}
        >
          Settings
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDevices size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/settings" search={{ tab: "account" }} {...props} />}
        >
          Sign-in and browsers
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => signOut.mutate()}
          closeMenuOnClick={false}
          disabled={signOut.isPending}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
