import { expect, test } from "vitest";
import type { Dataset } from "./api";
import { dataChoices } from "./choices";

const version = (n: number) => ({
  n,
  name: `v${n}`,
  digest: "",
  files: n,
  bytes: 1024,
  source: "",
  created: 0,
});
const dataset = (name: string, versions: number[]) =>
  ({ name, owner: "u1", owner_name: "Ada", versions: versions.map(version) }) as Dataset;

test("a job can name the last versions, and those of others by their owner", () => {
  const choices = dataChoices([dataset("era5", [2, 1])], [dataset("cifar", [1])]);
  expect(choices.map(({ value }) => value)).toEqual(["era5@v2", "era5@v1", "u1/cifar@v1"]);
  expect(choices[0]).toMatchObject({ name: "era5", about: "2 files, 1.0 kB" });
  expect(choices[2]?.about).toContain("shared by Ada");
});

test("a dataset without versions is left out", () => {
  expect(dataChoices([dataset("new", [])], [])).toEqual([]);
});
