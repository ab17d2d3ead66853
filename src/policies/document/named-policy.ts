// A policy by the names that it has in the entry of its change.
import { z } from 'zod'
import { PolicyDocumentSchema, versionPolicy, type VersionedPolicy } from './policy-document.ts'

export const NamedPolicySchema = z.object({ policy_version: z.int().min(1), document: PolicyDocumentSchema })

export const policyNamed = ({
  policy_version: version,
  document,
}: z.infer<typeof NamedPolicySchema>): VersionedPolicy => versionPolicy(version, document)

export const namePolicy = ({ version, document }: VersionedPolicy) => ({
  policy_version: version,
  document: z.json().parse(document),
})
