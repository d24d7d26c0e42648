import type { Choice } from "~/jobs/KeyValueRows";
import { count, formatBytes } from "~/lib/format";
import type { Dataset } from "./api";

const MOST_VERSIONS = 5;

/** What a job may write under `data`: the newest version of each dataset, and its last ones by number. */
export function dataChoices(own: Dataset[], shared: Dataset[]): Choice[] {
  return [
    ...own.flatMap((dataset) => choicesOf(dataset, dataset.name)),
    ...shared.flatMap((dataset) => choicesOf(dataset, `${dataset.owner}/${dataset.name}`)),
  ];
}

function choicesOf(dataset: Dataset, reference: string): Choice[] {
  const owner = reference.includes("/") ? `, shared by ${dataset.owner_name}` : "";
  return dataset.versions.slice(0, MOST_VERSIONS).map((version) => ({
    value: `${reference}@${version.name}`,
    name: dataset.name,
    about: `${count(version.files, "file")}, ${formatBytes(version.bytes)}${owner}`,
  }));
}
