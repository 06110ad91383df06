let a = f(  
    2);
