// The part of the welcome that shows how an organisation is told of what happens in it. Its lines come after the sign-in of the owner.
import { change, type Place } from './welcome-people.ts'

export function notificationLines(place: Place, receiverUrl: string): string {
  const url = `${receiverUrl}/hooks`
  return `Have the organisation told of loops, budgets and approvals: the answer has the secret that signs (it is shown this once). Then send a
test, which is printed here. docs/notifications.md has a receiver in twenty lines.

${change(place, 'PUT', '/api/notifications', { url })}
${change(place, 'POST', '/api/notifications/test', {})}
curl -s ${receiverUrl}/messages`
}
