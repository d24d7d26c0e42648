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
            title="Access"
            about={
              <>
                Set in <Code>diamond.toml</Code> on the machine where Diamond runs. Changes take
                effect after a restart. Only verified e-mail addresses count.
              </>
            }
          >
            <Facts rows={whoGetsIn(told)} />
          </Section>
          <Section title="Sign-in">
            <Facts rows={signIns(told)} />
          </Section>
          <Section title="Service">
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
  ["E-mail domains", several(told.email_domains)],
  ["Institutions (CILogon)", several(told.idps)],
  ["Affiliations (CILogon)", several(told.affiliations)],
  ["Groups", several(told.groups)],
];

const signIns = (told: ServiceSettings): Row[] => [
  ["Browser session length", `${told.session_days} days`],
  [
    "Required to submit jobs and create tokens",
    told.fresh_minutes ? `sign-in within the last ${told.fresh_minutes} minutes` : "any sign-in",
  ],
  ["Second factor", told.mfa ? "required" : "not required"],
  ["API calls per minute", told.calls_per_minute ? `${told.calls_per_minute}` : "no limit"],
];

const service = (told: ServiceSettings): Row[] => [
  ["Address", told.url],
  ["Database", told.database],
  ["Own certificate", yes(told.own_certificate)],
  ["E-mail", yes(told.sends_mail)],
  ["Webhooks to private networks", yes(told.webhook_private)],
];
