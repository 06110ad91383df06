(function () {
  var bar = document.createElement('div');
  bar.id = 'reading-progress';
  document.body.appendChild(bar);

  function update() {
    var max = document.documentElement.scrollHeight - window.innerHeight;
    bar.style.width = (window.scrollY / max) * 100 + '%';
  }

  window.addEventListener('resize', update);
  window.addEventListener('scroll', update);
  update();
})();
