import { Code, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { type ServiceSettings, serviceSettingsQuery } from "~/people/api";

/** The service's settings, read-only; they are changed in its configuration file. */
export function SettingsTab() {
  const query = useQuery(serviceSettingsQuery);
  return (
    <QueryResult query={query}>
      {(settings) => (
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
            <Facts rows={accessRows(settings)} />
          </Section>
          <Section title="Sign-in">
            <Facts rows={signInRows(settings)} />
          </Section>
          <Section title="Service">
            <Facts rows={serviceRows(settings)} />
          </Section>
        </>
      )}
    </QueryResult>
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

const joined = (values: string[]) => values.join(", ");
const yesNo = (value: boolean) => (value ? "yes" : "no");

const accessRows = (settings: ServiceSettings): Row[] => [
  [
    "Providers",
    joined(settings.providers.map((provider) => `${provider.title} (${provider.issuer})`)),
  ],
  ["Administrators", joined(settings.admins)],
  ["E-mail domains", joined(settings.email_domains)],
  ["Institutions (CILogon)", joined(settings.idps)],
  ["Affiliations (CILogon)", joined(settings.affiliations)],
  ["Groups", joined(settings.groups)],
];

const signInRows = (settings: ServiceSettings): Row[] => [
  ["Browser session length", `${settings.session_days} days`],
  [
    "Required to submit jobs and create tokens",
    settings.fresh_minutes
      ? `sign-in within the last ${settings.fresh_minutes} minutes`
      : "any sign-in",
  ],
  ["Second factor", settings.mfa ? "required" : "not required"],
  ["API calls per minute", settings.calls_per_minute ? `${settings.calls_per_minute}` : "no limit"],
];

const serviceRows = (settings: ServiceSettings): Row[] => [
  ["Address", settings.url],
  ["Database", settings.database],
  ["Own certificate", yesNo(settings.own_certificate)],
  ["E-mail", yesNo(settings.sends_mail)],
  ["Webhooks to private networks", yesNo(settings.webhook_private)],
];
