BREW = <s>4</s>
POUR = 2
