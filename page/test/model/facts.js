// What the checker says of the fixtures and of random histories (tests/page_facts.cc).
import { execFileSync } from 'node:child_process';
import { modelOf } from '../../model/model.js';

function read(args) {
  const program = process.env.PAGE_FACTS;
  if (!program) throw new Error('PAGE_FACTS must name the program page_facts; ctest sets it');
  const text = execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
  return text.trimEnd().split('\n').map((line) => {
    const facts = JSON.parse(line);
    return { ...facts, model: modelOf(facts.block.runs[0], facts.block.grounding) };
  });
}

export const fixtures = () => read([process.env.PAGE_FIXTURES]);
export const random = (count) => read(['--random', String(count)]);
