import t from 'tap';
import { Line, type Standing } from '../../src/server/http/line.js';
import { chooseSeed, openDice } from '../support/long-form.js';

class Member implements Standing<Member> {
  before: Member | null = null;
  after: Member | null = null;
  isStanding = false;
}

t.test('a line keeps the order of arrival, whoever leaves', async (t) => {
  const { int } = openDice(chooseSeed(t));
  const line = new Line<Member>();
  const expected: Member[] = [];
  for (let step = 0; step < 5000; step++) {
    if (int(100) < (step % 1000 < 500 ? 60 : 40)) {
      const member = new Member();
      line.join(member);
      expected.push(member);
    } else if (expected.length > 0) {
      const [member] = expected.splice(int(expected.length), 1);
      if (!line.leave(member!)) t.fail('it stood there');
      if (member!.before !== null || member!.after !== null || member!.isStanding) t.fail('it has forgotten the line');
    }
    if (line.length !== expected.length) t.equal(line.length, expected.length);
  }
  const standing = [...line];
  t.equal(standing.length, expected.length);
  t.ok(
    standing.every((member, place) => member === expected[place]),
    'in order',
  );
});

t.test('whoever has left is not there', async (t) => {
  const line = new Line<Member>();
  const [first, second, third] = [new Member(), new Member(), new Member()];
  t.notOk(line.leave(first), 'nor before it came');
  for (const member of [first, second, third]) line.join(member);
  const seen: Member[] = [];
  for (const member of line) {
    seen.push(member);
    line.leave(member);
  }
  t.same(seen.length, 3, 'all were looked at while they left');
  t.equal(line.length, 0);
  t.same([...line], []);
  t.notOk(line.leave(second));
  line.join(second);
  t.ok([...line][0] === second, 'one may come again');
});
