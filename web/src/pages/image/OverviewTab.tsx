import { Anchor, SimpleGrid, Stack } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Facts } from "~/components/Facts";
import type { Image } from "~/images/api";
import { duration, exactTime } from "~/lib/format";
import { valueText } from "~/lib/text";
import { ImageLocations } from "./ImageLocations";

/** Where the image is, its recipe, and how it was built. */
export function OverviewTab({ image }: { image: Image }) {
  return (
    <Stack gap="md">
      <ImageLocations image={image} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <Facts title="Recipe" facts={recipeFacts(image)} />
        <Facts title="Build" facts={buildFacts(image)} />
      </SimpleGrid>
    </Stack>
  );
}

const MAX_LINES = 30;

type Fact = [string, ReactNode];

function recipeFacts({ environment, base, python, labels }: Image): Fact[] {
  const { variables = {}, commands = [], system = [], requirements = [] } = environment;
  return knownFacts([
    ["Base", base.reference],
    ["Base digest", base.digest],
    ["Python", python],
    ["Requirements", requirements.join(", ")],
    ["System packages", system.join(", ")],
    ["Accelerator", environment.accelerator],
    ["Variables", entries(variables)],
    ["Commands", shortened(commands.join("\n"))],
    ["Test", environment.test],
    ["Labels", entries(labels)],
  ]);
}

function buildFacts(image: Image): Fact[] {
  const { built, build } = image;
  return knownFacts([
    ["Recipe digest", image.identity],
    ["Platform", image.platform],
    ["Built with", [built.runtime, built.user && `as ${built.user}`].filter(Boolean).join(" ")],
    ["Host", built.host],
    ["Date", built.at != null && exactTime(built.at)],
    ["Duration", built.seconds != null && duration(built.seconds)],
    ["Log", build && <BuildLink task={build} />],
    ["Owner", image.owner],
  ]);
}

function BuildLink({ task }: { task: string }) {
  return (
    <Anchor
      size="sm"
      underline="always"
      renderRoot={(props) => <Link to="/build/$task" params={{ task }} {...props} />}
    >
      steps and logs
    </Anchor>
  );
}

function entries(mapping: Record<string, unknown>): string {
  return Object.entries(mapping)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join("\n");
}

/** A recipe can have ten thousand lines; the definition shows all of them. */
function shortened(text: string): string {
  const all = text.split("\n");
  const rest = all.length - MAX_LINES;
  if (rest <= 1) return text;
  return [...all.slice(0, MAX_LINES), `… and ${rest} more lines, see Definition`].join("\n");
}

function knownFacts(facts: [string, ReactNode | false | null][]): Fact[] {
  return facts.filter(([, value]) => value).map(([name, value]) => [name, lines(value)]);
}

/** Preserves line breaks in commands. */
function lines(value: ReactNode): ReactNode {
  return typeof value === "string" ? (
    <span style={{ whiteSpace: "pre-wrap" }}>{value}</span>
  ) : (
    value
  );
}
