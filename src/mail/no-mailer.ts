// For a deployment without mail.
import type { Mailer } from './mailer.ts'

export const NO_MAILER: Mailer = { sends: false, send: () => Promise.resolve('failed') }
