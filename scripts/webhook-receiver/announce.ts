// What a terminal is told of a message. What somebody else wrote may not move its cursor or colour it.
import type { ReceivedMessage } from './server.ts'

export const announceMessage = ({ id, path, body }: ReceivedMessage): string =>
  `Webhook ${id} to ${path}: ${body.slice(0, 500)}`.replaceAll(/\p{C}/gu, '?')
