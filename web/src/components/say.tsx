import { notifications } from "@mantine/notifications";
import { hintOf, Remedy } from "./Answer";
import { Words } from "./Words";

/** A short word in the corner that something was done. */
export function sayDone(message: string): void {
  notifications.show({ message, color: "teal", autoClose: 4_000 });
}

/** What the service refused, in its words; stays until it is closed. */
export function sayFailed(error: Error): void {
  notifications.show({
    title: <Words text={error.message} />,
    message: (
      <>
        <Words text={hintOf(error)} />
        <Remedy error={error} />
      </>
    ),
    color: "red",
    autoClose: false,
  });
}
