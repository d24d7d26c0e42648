import { Badge } from "@mantine/core";

const LOOKS: Record<string, { color: string; words: string }> = {
  online: { color: "teal", words: "online" },
  offline: { color: "gray", words: "away" },
  "sign-in": { color: "orange", words: "needs you to sign in" },
  pairing: { color: "blue", words: "waiting for it to call" },
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
