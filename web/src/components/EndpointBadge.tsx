import { Badge } from "@mantine/core";

const LOOKS: Record<string, { color: string; words: string }> = {
  online: { color: "teal", words: "online" },
  offline: { color: "gray", words: "offline" },
  "sign-in": { color: "orange", words: "sign-in needed" },
  pairing: { color: "blue", words: "waiting for the agent" },
  confirming: { color: "blue", words: "needs your confirmation" },
};

export function EndpointBadge({ endpoint }: { endpoint: { state: string } }) {
  const look = LOOKS[endpoint.state] ?? { color: "gray", words: endpoint.state };
  return (
    <Badge color={look.color} variant="dot">
      {look.words}
    </Badge>
  );
}
