// A member, as the service shows one.
import type { z } from 'zod'
import type { MemberSchema } from '../../../accounts/members/members.schema.ts'

export type Member = z.infer<typeof MemberSchema>
