import { Code, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ServiceSettings, settingsQuery } from "~/api/users";
import { Answer } from "~/components/Answer";
import { Section } from "~/components/Section";

/** What the service was told at its start: to be looked up here, and changed in its file. */
export function SettingsTab() {
  const query = useQuery(settingsQuery);
  return (
    <Answer query={query}>
      {(told) => (
        <>
          <Section
            title="Who gets in"
            about={
              <>
                As <Code>diamond.toml</Code> says on the machine where Diamond runs; a change there
                holds after a restart. An address counts only if its provider has verified it.
              </>
            }
          >
            <Facts rows={whoGetsIn(told)} />
          </Section>
          <Section title="What a sign-in is good for">
            <Facts rows={signIns(told)} />
          </Section>
          <Section title="The service">
            <Facts rows={service(told)} />
          </Section>
        </>
      )}
    </Answer>
  );
}

type Row = [name: string, value: string];

function Facts({ rows }: { rows: Row[] }) {
  return (
    <Table variant="vertical" layout="fixed" withRowBorders>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w="38%">{name}</Table.Th>
            <Table.Td style={{ overflowWrap: "anywhere" }}>
              {value || (
                <Text span inherit c="dimmed">
                  none
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const several = (values: string[]) => values.join(", ");
const yes = (value: boolean) => (value ? "yes" : "no");

const whoGetsIn = (told: ServiceSettings): Row[] => [
  ["Providers", several(told.providers.map((one) => `${one.title} (${one.issuer})`))],
  ["Administrators", several(told.admins)],
  ["Domains of addresses", several(told.email_domains)],
  ["Institutions (CILogon)", several(told.idps)],
  ["Affiliations (CILogon)", several(told.affiliations)],
  ["Groups", several(told.groups)],
];

const signIns = (told: ServiceSettings): Row[] => [
  ["A browser stays signed in", `${told.session_days} days`],
  [
    "Before submitting and making tokens",
    told.fresh_minutes ? `a sign-in of the last ${told.fresh_minutes} minutes` : "any sign-in",
  ],
  ["Second factor", told.mfa ? "asked for" : "not asked for"],
  ["Calls a minute", told.calls_per_minute ? `${told.calls_per_minute}` : "no limit"],
];

const service = (told: ServiceSettings): Row[] => [
  ["Address", told.url],
  ["Database", told.database],
  ["Certificate of its own", yes(told.own_certificate)],
  ["Sends mail", yes(told.sends_mail)],
  ["Webhooks into its own network", yes(told.webhook_private)],
];
