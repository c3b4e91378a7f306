import { expect } from 'chai';
import { badgeSvg } from '../../../src/dashboard/shared/badge.js';

describe('a badge', () => {
  it('names the project, the branch and the state for a screen reader', () => {
    const svg = badgeSvg('Shop', 'main', 'passing');
    expect(svg).to.include('<title>Shop, main: passing</title>').and.to.include('role="img"');
    expect(badgeSvg('Shop', 'main', 'no_runs')).to.include('<title>Shop, main: no runs</title>');
  });

  it('is green for no state but passing', () => {
    const green = /#1a7f37/;
    expect(badgeSvg('Shop', 'main', 'passing')).to.match(green);
    const others = ['failing', 'running', 'incomplete', 'skipped', 'empty', 'unfinished', 'no_runs'] as const;
    for (const state of others) expect(badgeSvg('Shop', 'main', state), state).to.not.match(green);
  });

  it('has no markup of a name, and no character that XML does not have', () => {
    const hostile = '</title><script>alert(1)</script>"\u0000\ud800\uffff\u001b[31m';
    const svg = badgeSvg(hostile, hostile, 'failing');
    expect(svg).to.not.include('<script');
    expect(svg.split('</title>')).to.have.length(2);
    for (const character of svg) expect(character.codePointAt(0)).to.be.within(0x20, 0xfffd);
    expect(svg.isWellFormed()).to.equal(true);
  });

  it('is as wide as a long name needs, which is cut', () => {
    const widthOf = (svg: string) => Number(/width="(\d+)"/.exec(svg)![1]);
    expect(widthOf(badgeSvg('x'.repeat(255), 'main', 'failing'))).to.be.within(300, 400);
    expect(widthOf(badgeSvg('字'.repeat(255), 'main', 'failing'))).to.be.within(500, 600);
  });
});
