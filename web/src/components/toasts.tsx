import { notifications } from "@mantine/notifications";
import { hintOf, SignInRemedy } from "./ErrorAlert";
import { MessageText } from "./MessageText";

/** A short word in the corner that something was done. */
export function showSuccess(message: string): void {
  notifications.show({ message, color: "teal", autoClose: 4_000 });
}

/** What the service refused, in its words; stays until it is closed. */
export function showError(error: Error): void {
  notifications.show({
    title: <MessageText text={error.message} />,
    message: (
      <>
        <MessageText text={hintOf(error)} />
        <SignInRemedy error={error} />
      </>
    ),
    color: "red",
    autoClose: false,
  });
}
