const draw = (max) => Math.floor(Math.random() * max) + 1;

function isWinner(ticket, drawn) {
  return ticket.number == drawn;
}

function play(tickets, max = 90) {
  const drawn = draw(max);
  return tickets.filter((t) => isWinner(t, drawn));
}

module.exports = { play, isWinner };
