// The report's text about the law, as of `LAW_AS_OF`: notes, and what the report shows for each source. It is no legal advice.
import type { ComplianceReport } from './report.schema.ts'

export const LAW: ComplianceReport['law'] = {
  notes: [
    'Regulation (EU) 2026/1744, in force since 27 July 2026, moved the day from which sections 1 to 3 of Chapter III of the AI Act apply, and with them Articles 12 to 15, 19, 26 and 27: for systems of Annex III to 2 December 2027, for systems of Annex I, medical devices among them, to 2 August 2028.',
    'Article 50 applies since 2 August 2026. Articles 72 and 73 are outside those sections.',
    'These dates are taken from secondary sources that agree with each other. Whoever relies on one reads it in the Official Journal.',
    'So this report tells of readiness. It is no legal advice, and no finding that a law is kept or broken.',
  ],
  sources: [
    {
      source: 'AI Act 12, 19, 26(6)',
      expects: 'Automatic logs by which use can be traced, kept for at least six months.',
      shows: 'Decisions, how calls ended, proofs of both, how long details are kept.',
      cannot: 'What was asked and answered, unless content is kept.',
    },
    {
      source: 'AI Act 13, 26(1)',
      expects: 'Instructions for use, and use as they say.',
      shows: 'Models, use cases and limits that were set and enforced.',
      cannot: 'The instructions.',
    },
    {
      source: 'AI Act 14, 26(2)',
      expects: 'People who can step in, set a decision aside, and stop the system.',
      shows: 'Approvals, refusals that were set aside or passed on, keys and policies that stop calls.',
      cannot: 'Whether those people are competent and trained.',
    },
    {
      source: 'AI Act 15',
      expects: 'Accuracy, robustness and security.',
      shows: 'Failures, loops, how keys are kept, whether records were changed.',
      cannot: 'Whether answers were right.',
    },
    {
      source: 'AI Act 72, 73',
      expects: 'Monitoring after deployment by a plan; serious incidents reported in time.',
      shows: 'Comparisons and anomalies, the receipts of an incident.',
      cannot: 'The plan, and the report of an incident.',
    },
    {
      source: 'GDPR 30, 32, 35',
      expects: 'Records of processing, security, an assessment of impact.',
      shows: 'Purposes, recipients, how long data is kept; sealing and access.',
      cannot: 'The assessment.',
    },
    {
      source: 'ISO/IEC 42001',
      expects: 'Policy, roles, assessment of impact, monitoring, internal audit: 38 controls of Annex A.',
      shows: 'A.6.2.8, A.9, parts of 9.1.',
      cannot: 'Clauses 4 to 7, 9.2 and 9.3.',
    },
    {
      source: 'NIST AI RMF',
      expects: 'Govern, map, measure, manage.',
      shows: 'Parts of MEASURE 2 and MANAGE 2 to 4.',
      cannot: 'GOVERN, beyond policies.',
    },
    {
      source: 'MDR, IEC 62304, ISO 14971',
      expects: 'Intended purpose, a risk file, a list of the software used, control of changes.',
      shows: 'Which model served which call, and when that changed.',
      cannot: 'Validation, and the risk file.',
    },
  ],
}
