import { Alert, Button, Stack, Text } from "@mantine/core";
import {
  IconBrandGithub,
  IconBrandGoogle,
  IconMailOpened,
  IconSchool,
  type TablerIcon,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "~/api/client";
import { invitationIn, signInUrl } from "~/people/signInUrl";
import { invitationQuery, invitationTitle } from "~/projects/invitation";

const ICONS: Record<string, TablerIcon> = { google: IconBrandGoogle, github: IconBrandGithub };

/** One button per provider; it returns to the current page. */
export function Providers({ items }: { items: Schemas["SignInProvider"][] }) {
  const code = invitationIn(window.location.search);
  const invited = Boolean(code);
  const { data: shown } = useQuery(invitationQuery(code));
  return (
    <>
      {invited && (
        <Alert color="teal" icon={<IconMailOpened />} title={invitationTitle(shown)}>
          Sign in with the account you want to use here to accept the invitation.
        </Alert>
      )}
      <Stack gap="xs">
        {items.map((provider, at) => (
          <ProviderButton key={provider.name} provider={provider} isFirst={at === 0} />
        ))}
      </Stack>
      {!invited && (
        <Text size="sm" c="dimmed">
          You need an account to sign in. If you have none, ask an administrator of this Diamond or
          a project manager for an invitation.
        </Text>
      )}
    </>
  );
}

type ButtonProps = { provider: Schemas["SignInProvider"]; isFirst: boolean };

function ProviderButton({ provider, isFirst }: ButtonProps) {
  const Icon = ICONS[provider.name] ?? IconSchool;
  return (
    <Button
      component="a"
      href={signInUrl(provider.url, window.location)}
      size="md"
      fullWidth
      variant={isFirst ? "filled" : "default"}
      leftSection={<Icon size={20} stroke={1.7} aria-hidden />}
    >
      Sign in with {provider.title}
    </Button>
  );
}
