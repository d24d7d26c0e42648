import type { Schemas } from "~/api/client";
import { count, duration, formatNumber } from "~/lib/format";

/** Descriptions of what a site offers. The service decides what can be chosen. */

const STATES: Record<string, string> = {
  offline: "offline",
  "sign-in": "sign-in needed",
  pairing: "not connected yet",
  confirming: "not confirmed yet",
};

export function endpointOptions(endpoints: Schemas["EndpointChoice"][], chosen: string) {
  const defaultName = endpoints.find((endpoint) => endpoint.default)?.name;
  const options = [
    {
      value: "auto",
      label: defaultName ? `Automatic (your default: ${defaultName})` : "Automatic",
    },
    ...endpoints.map(({ name, state }) => ({
      value: name,
      label: STATES[state] ? `${name} (${STATES[state]})` : name,
    })),
  ];
  if (options.some((option) => option.value === chosen)) return options;
  return [...options, { value: chosen, label: chosen }];
}

export function partitionDescriptions(
  partitions: Schemas["PartitionChoice"][],
): Record<string, string> {
  return Object.fromEntries(
    partitions.map((partition) => [partition.name, partitionText(partition)]),
  );
}

function partitionText(partition: Schemas["PartitionChoice"]): string {
  const gpus = Object.entries(partition.gpus_per_node ?? {}).map(
    ([kind, many]) => `${many} ${kind}`,
  );
  const facts = [
    partition.nodes_idle != null &&
      `${partition.nodes_idle} of ${count(partition.nodes_total ?? 0, "node")} free`,
    partition.max_minutes && `at most ${duration(partition.max_minutes * 60)}`,
    gpus.length && `${gpus.join(" and ")} per node`,
    partition.default && "site default",
    partition.usable === false && "not available to your accounts",
  ];
  return facts.filter(Boolean).join(", ");
}

export function accountDescriptions(accounts: Schemas["AccountChoice"][]): Record<string, string> {
  return Object.fromEntries(accounts.map((account) => [account.name, accountText(account)]));
}

function accountText(account: Schemas["AccountChoice"]): string {
  const facts = [
    account.balance != null &&
      `${formatNumber(account.balance)} ${account.unit ?? ""} left`.replace("  ", " "),
    account.usable === false && "cannot use this partition",
  ];
  return facts.filter(Boolean).join(", ");
}
