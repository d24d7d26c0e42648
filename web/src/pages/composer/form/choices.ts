import type { Schemas } from "~/api/client";
import { count, duration, figure } from "~/lib/format";

/** Words for what a site offers; what may be chosen was decided by the service. */

const STATES: Record<string, string> = {
  offline: "offline",
  "sign-in": "sign-in needed",
  pairing: "not connected yet",
  confirming: "not confirmed yet",
};

export function endpointOptions(endpoints: Schemas["EndpointChoice"][], chosen: string) {
  const mine = endpoints.find((one) => one.default)?.name;
  const options = [
    { value: "auto", label: mine ? `Automatic (your default: ${mine})` : "Automatic" },
    ...endpoints.map(({ name, state }) => ({
      value: name,
      label: STATES[state] ? `${name} (${STATES[state]})` : name,
    })),
  ];
  if (options.some((one) => one.value === chosen)) return options;
  return [...options, { value: chosen, label: chosen }];
}

export function partitionOptions(partitions: Schemas["PartitionChoice"][]): Record<string, string> {
  return Object.fromEntries(partitions.map((one) => [one.name, partitionWords(one)]));
}

function partitionWords(one: Schemas["PartitionChoice"]): string {
  const gpus = Object.entries(one.gpus_per_node ?? {}).map(([kind, many]) => `${many} ${kind}`);
  const words = [
    one.nodes_idle != null && `${one.nodes_idle} of ${count(one.nodes_total ?? 0, "node")} free`,
    one.max_minutes && `at most ${duration(one.max_minutes * 60)}`,
    gpus.length && `${gpus.join(" and ")} per node`,
    one.default && "site default",
    one.usable === false && "not available to your accounts",
  ];
  return words.filter(Boolean).join(", ");
}

export function accountOptions(accounts: Schemas["AccountChoice"][]): Record<string, string> {
  return Object.fromEntries(accounts.map((one) => [one.name, accountWords(one)]));
}

function accountWords(one: Schemas["AccountChoice"]): string {
  const words = [
    one.balance != null && `${figure(one.balance)} ${one.unit ?? ""} left`.replace("  ", " "),
    one.usable === false && "cannot use this partition",
  ];
  return words.filter(Boolean).join(", ");
}
